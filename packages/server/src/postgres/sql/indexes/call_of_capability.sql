-- Lists of one capability's calls.
create index concurrently call_of_capability on paraph.call (tenant, capability, id)
