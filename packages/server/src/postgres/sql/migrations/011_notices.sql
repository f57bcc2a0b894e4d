-- [TRUST 19] Whether an endpoint that reaches people was told of this question: decided once per call, and kept.
alter table paraph.webhook_delivery add column noticed boolean;
create index webhook_delivery_noticed on paraph.webhook_delivery (tenant, endpoint, call) where noticed;
