-- A bundle is what one principal asks with one capability: found by that, however many calls it has made besides.
create index call_asking on paraph.call (tenant, principal, capability, id) where state = 'asking';
