"""The wire's words for the rules' values, one module or room a family.

Services, clients and tools that speak protobuf and know the rules meet here; the rules
themselves know nothing of it.
"""
