"""A lecturer's live room: rooms, votes and the phones' routes. Must not know pages, ui or Streamlit.

Read in this order: `phases` (what may follow what), `schema` and `database` (what is kept, and how), `rooms`
and `votes` (the transactions), `service` (all of it as one object), `routes` (the phones' side over HTTP).
"""
