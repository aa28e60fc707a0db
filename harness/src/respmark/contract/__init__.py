"""The contract between harness and runner: one trial in, events and one result out.

`harness/contract/README.md` is the page for people; the JSON Schemas beside it are made from these models.
"""
