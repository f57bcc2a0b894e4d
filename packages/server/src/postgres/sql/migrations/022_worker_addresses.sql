-- [TRUST 26] Where the engine reaches the worker of this process. The engine believes anyone who can reach it; which addresses are
-- ours is therefore decided here.
alter table paraph.process_lease add column worker_url text;
grant update (worker_url) on paraph.process_lease to paraph_app;
