"""Write result tables: narrow and wide, while they grow, for notebooks."""
