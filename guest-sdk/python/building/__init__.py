"""What `build` does, step by step: read the request, check the source, make the component."""
