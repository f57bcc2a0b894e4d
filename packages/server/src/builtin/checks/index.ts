import { type Capability, ParaphError } from "@paraph/core";
import { ConcurrencyQueue } from "./concurrency-queue.ts";
import { createLinksCheck, type LinksOptions } from "./hosts/links.ts";
import { createRecipientsCheck, type RecipientsOptions } from "./hosts/recipients.ts";
import { createClaimsCheck } from "./model/claims.ts";
import { createModel, type ModelOptions } from "./model/model.ts";
import { createReviewCheck } from "./model/review.ts";
import { createRateCheck, type RateOptions } from "./rate.ts";
import { createSecretsCheck } from "./secrets.ts";
import { createSizeCheck, type SizeOptions } from "./size.ts";
import { createSyntaxCheck, type FindContract } from "./syntax.ts";
import { ThreadPool } from "./threads/thread-pool.ts";
import type { UsageHistory } from "./usage-history.ts";

/** The option `checks` of the configuration. */
export interface ChecksOptions {
  readonly recipients?: RecipientsOptions;
  readonly links?: LinksOptions;
  readonly size?: SizeOptions;
  readonly rate?: RateOptions;
  /** The model for `check.review` and `check.claims`. */
  readonly model?: ModelOptions;
  /** The maximum number of concurrent checks in this process. */
  readonly concurrency?: number;
  /** The checks that run for each `@level("…")`. */
  readonly levels?: Readonly<Partial<Record<"basic" | "standard" | "thorough", readonly string[]>>>;
}

/** Creates the built-in checks as capabilities. */
export function createBuiltinChecks(
  options: ChecksOptions,
  { contractOf, history }: { readonly contractOf: FindContract; readonly history: UsageHistory },
): Capability[] {
  const {
    concurrency = 4,
    recipients = { allow: [] },
    links = { allow: [] },
    size = {},
    rate = {},
  } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw new ParaphError("capability-invalid", "`checks.concurrency` must be a whole number of at least 1.");
  const turns = new ConcurrencyQueue(concurrency);
  const threads = new ThreadPool();
  const model = options.model && createModel(options.model);
  return [
    createSecretsCheck(contractOf, threads, turns),
    createSyntaxCheck(contractOf, threads, turns),
    createRecipientsCheck(recipients, contractOf, turns),
    createLinksCheck(links, contractOf, turns),
    createSizeCheck(size, history, turns),
    createRateCheck(rate, history, turns),
    ...(model
      ? [createReviewCheck(model, contractOf, turns), createClaimsCheck(model, contractOf, turns)]
      : []),
  ];
}

export type { RecentUsage, UsageHistory } from "./usage-history.ts";
