"""The evidence page: the byte model beside what papers print and what we measured."""
