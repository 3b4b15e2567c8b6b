"""What `build` does, step by step: read the project, check its source, make the component."""
