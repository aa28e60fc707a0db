"""What harness and runners say to each other (`harness/contract.md` is the page), and the words for it."""
