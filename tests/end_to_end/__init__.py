"""End-to-end tests: in a browser, on the platform, and with this course's homeworks."""
