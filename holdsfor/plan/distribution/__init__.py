"""What must be together: by which arguments each definition is evaluated, in which stage, and what travels there."""
