import { z } from "zod";
import { secretText } from "../../outbound/secrets.ts";
import { toolTerms } from "./profile/profile.ts";

const durationConfig = z.templateLiteral([z.number(), z.enum(["ms", "s", "m", "h"])]);

const sharedConfig = {
  profile: z
    .string()
    .optional()
    .describe(
      "what MCP cannot say of the server's tools: one that comes with Paraph, or a path to a file of yours",
    ),
  tools: z
    .record(z.string(), toolTerms)
    .default({})
    .describe("the same for single tools, by the server's names; it goes before the profile"),
  timeout: durationConfig.default("60s").describe("how long a call may take where the profile says nothing"),
};

const sandboxConfig = z.strictObject({
  read: z.array(z.string()).default([]).describe("folders it may read, relative to the configuration"),
  write: z.array(z.string()).default([]).describe("folders it may also write to"),
  network: z.boolean().default(false),
  home: z.string().optional(),
});

export const mcpStdioConfig = z.strictObject({
  command: z.string().min(1).describe("the program: an absolute path, or a name in the system's own folders"),
  args: z.array(z.string()).default([]).describe("its arguments; a secret by name, as in `env`"),
  env: z
    .record(z.string(), z.string())
    .default({})
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
    .describe("its whole environment; a secret by name, as in `${GITHUB_TOKEN}`"),
  cwd: z.string().optional().describe("the folder it runs in, relative to the configuration"),
  sandbox: z
    .union([z.literal(false), sandboxConfig])
    .default({ read: [], write: [], network: false })
    .describe("what it sees of this machine; false to let it see everything"),
  limits: z
    .strictObject({ memoryMb: z.int().positive().optional(), openFiles: z.int().positive().optional() })
    .optional(),
  ...sharedConfig,
});
export type McpStdioConfig = z.output<typeof mcpStdioConfig>;

const issuerUrl = z.url({ protocol: /^https?$/ });

const loginConfig = z
  .strictObject({
    login: z.literal(true).describe("somebody logs in with `paraph mcp login`"),
    issuer: issuerUrl.optional().describe("the only one that is taken, whichever the server names"),
    clientId: z
      .string()
      .min(1)
      .optional()
      .describe("a client that was made at the issuer, or the address of a document about it"),
    clientSecret: secretText.optional(),
    scope: z.string().optional(),
  })
  .refine(({ clientId, clientSecret }) => clientId !== undefined || clientSecret === undefined, {
    message: "a `clientSecret` belongs to a `clientId`",
  });

const clientCredentialsConfig = z.strictObject({
  issuer: issuerUrl.describe("who gives out tokens: the secret goes nowhere else"),
  clientId: z.string().min(1),
  clientSecret: secretText,
  scope: z.string().optional(),
});

export const mcpHttpConfig = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  credential: secretText
    .optional()
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
    .describe("the header `Authorization`, as in `Bearer ${GITHUB_TOKEN}`"),
  oauth: z
    .union([loginConfig, clientCredentialsConfig], {
      error: "name either `login: true`, or `issuer`, `clientId` and `clientSecret`",
    })
    .optional()
    .describe("a person's login, or a token by client credentials; instead of `credential`"),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/), z.string()).default({}),
  ...sharedConfig,
});
export type McpHttpConfig = z.output<typeof mcpHttpConfig>;
