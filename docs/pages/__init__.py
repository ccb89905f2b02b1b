"""Pages and pictures of docs/ that are made from code: `make figures`."""
