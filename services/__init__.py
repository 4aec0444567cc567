"""The four services. They speak gRPC with each other and import nothing of each other."""
