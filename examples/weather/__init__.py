"""Simulated weather stations, and rules that warn of blizzards, heat and fire."""
