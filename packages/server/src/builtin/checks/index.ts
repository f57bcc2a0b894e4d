import { type Capability, ParaphError } from "@paraph/core";
import { claimsCheck } from "./claims.ts";
import type { History } from "./history.ts";
import { type LinksOptions, linksCheck } from "./links.ts";
import { type ModelOptions, modelFrom } from "./model.ts";
import { type RateOptions, rateCheck } from "./rate.ts";
import { type RecipientsOptions, recipientsCheck } from "./recipients.ts";
import { reviewCheck } from "./review.ts";
import { secretsCheck } from "./secrets.ts";
import { type SizeOptions, sizeCheck } from "./size.ts";
import { type ContractOf, syntaxCheck } from "./syntax.ts";
import { Threads } from "./threads/threads.ts";
import { Turns } from "./turns.ts";

/** `checks` in the configuration. */
export interface ChecksOptions {
  readonly recipients?: RecipientsOptions;
  readonly links?: LinksOptions;
  readonly size?: SizeOptions;
  readonly rate?: RateOptions;
  /** Without a model there is no `check.review` and no `check.claims`. */
  readonly model?: ModelOptions;
  /** How many checks this process runs at once, 4 unless said; the rest wait within their deadline. */
  readonly concurrency?: number;
  /** Which checks `@level("…")` stands for, where it is not the default. */
  readonly levels?: Readonly<Partial<Record<"basic" | "standard" | "thorough", readonly string[]>>>;
}

/** The checks that come with Paraph, as capabilities. */
export function builtInChecks(
  options: ChecksOptions,
  { contractOf, history }: { readonly contractOf: ContractOf; readonly history: History },
): Capability[] {
  const {
    concurrency = 4,
    recipients = { allow: [] },
    links = { allow: [] },
    size = {},
    rate = {},
  } = options;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1)
    throw new ParaphError("capability-invalid", "`checks.concurrency` is a whole number from 1.");
  const turns = new Turns(concurrency);
  const threads = new Threads();
  const model = options.model && modelFrom(options.model);
  return [
    secretsCheck(contractOf, threads, turns),
    syntaxCheck(contractOf, threads, turns),
    recipientsCheck(recipients, contractOf, turns),
    linksCheck(links, contractOf, turns),
    sizeCheck(size, history, turns),
    rateCheck(rate, history, turns),
    ...(model ? [reviewCheck(model, contractOf, turns), claimsCheck(model, contractOf, turns)] : []),
  ];
}

export type { History, Lately } from "./history.ts";
