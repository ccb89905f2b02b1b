"""What Gradescope needs: the zip to upload, and what runs in its container."""
