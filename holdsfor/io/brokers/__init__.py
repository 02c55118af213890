"""Reach brokers: addresses, Kafka, pauses between attempts, reasons of failure."""
