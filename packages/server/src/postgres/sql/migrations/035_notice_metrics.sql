-- The gauges of waiting notices count them by kind.
grant select (kind) on paraph.notice to paraph_sweeper;
