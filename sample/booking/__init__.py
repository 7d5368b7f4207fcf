"""The booking program of Tandem House: who may borrow which bike, when, and for how much."""
