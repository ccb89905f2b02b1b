"""Changes of marks, regrade requests and jobs: what they wrote or printed, for the desk."""
