"""Measuring retrieval: BEIR sets judged by document, and question sets judged by the places that answer them."""
