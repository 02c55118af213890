"""Run the subcommands that read, test or change rule files."""
