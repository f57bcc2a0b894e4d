import { z } from "zod";
import type { ChecksOptions } from "../builtin/checks/index.ts";
import { type CheckLevel, defaultCheckLevels } from "../policy/cedar/check-levels.ts";
import { positive, type Shape, text, texts } from "./schema-parts.ts";

const createAllowList = (description: string) => z.strictObject({ allow: texts.describe(description) });
const createOutlierSchema = (upTo: string) =>
  z.strictObject({
    deviations: z
      .number()
      .positive()
      .optional()
      .describe(
        "The number of robust standard deviations above the median beyond which a value is unusual (default: 6).",
      ),
    upTo: z.number().min(0).optional().describe(upTo),
  });
const credential = text.describe(
  "The name of the secret that holds the model's key. An endpoint without a key needs none.",
);
export const model = z.union(
  [
    z.strictObject({
      url: z
        .url({ protocol: /^https?$/ })
        .describe("The base URL of an OpenAI-compatible endpoint, such as `https://api.openai.com/v1`."),
      name: text.describe("The name of the model at this endpoint."),
      credential: credential.optional(),
    }),
    z.strictObject({
      provider: z
        .custom((value) => typeof value === "function", "a function")
        .meta({
          description:
            "A function that takes the key and returns a model of the Vercel AI SDK. It replaces `url` and `name`.",
          typeName: "(key: string) => LanguageModel",
        }),
      credential,
    }),
  ],
  { error: "name either `url` and `name`, or `provider` and `credential`" },
);
export const checks = {
  recipients: createAllowList(
    "The allowed recipients: a domain (`@example.com`), every domain below it (`@*.example.com`) or one address. An empty list allows none (default: an empty list).",
  ).describe("The options of `check.recipients`."),
  links: createAllowList(
    "The allowed hosts, such as `example.com`, `*.example.com` or `example.com:8443`. An empty list allows none (default: an empty list).",
  ).describe("The options of `check.links`."),
  size: createOutlierSchema(
    "The size in bytes up to which an input is never unusual (default: 1024).",
  ).describe("The options of `check.size`."),
  rate: createOutlierSchema(
    "The number of calls in an hour up to which a rate is never unusual (default: 10).",
  ).describe("The options of `check.rate`."),
  model: model.describe(
    "The model for `check.review` and `check.claims`. Without a model, these checks do not exist (default: none).",
  ),
  concurrency: positive.describe(
    "The maximum number of concurrent checks in this process (default: 4). Further checks wait, each up to its deadline.",
  ),
  levels: z
    .strictObject({
      basic: texts.describe(formatLevel("basic")),
      standard: texts.describe(formatLevel("standard")),
      thorough: texts.describe(formatLevel("thorough")),
    })
    .partial()
    .describe("The checks that run for each `@level(…)` of a policy."),
} satisfies Shape<ChecksOptions>;

function formatLevel(level: CheckLevel): string {
  const names = defaultCheckLevels[level].map((name) => `\`${name}\``);
  return `The checks of the level \`${level}\`. By default: ${names.join(", ")}.`;
}
