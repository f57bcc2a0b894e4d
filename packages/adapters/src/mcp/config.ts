import { z } from "zod";
import { secretText } from "../egress/secrets.ts";
import { toolTerms } from "./profile/profile.ts";

const durationConfig = z.templateLiteral([z.number(), z.enum(["ms", "s", "m", "h"])]);

const sharedConfig = {
  profile: z
    .string()
    .optional()
    .describe(
      "profile with effects, previews and other terms that MCP does not define: the name of a shipped profile, or the path of your own file",
    ),
  tools: z
    .record(z.string(), toolTerms)
    .default({})
    .describe("the same terms for single tools, by the server's tool names; they override the profile"),
  timeout: durationConfig.default("60s").describe("the timeout of a call, if the profile sets none"),
};

const sandboxConfig = z.strictObject({
  read: z.array(z.string()).default([]).describe("folders it may read, relative to the configuration"),
  write: z.array(z.string()).default([]).describe("folders it may also write to"),
  network: z.boolean().default(false).describe("whether it can access the network"),
  home: z.string().optional().describe("its home folder, which it may write to (default: an empty folder)"),
});

export const mcpStdioConfig = z.strictObject({
  command: z.string().min(1).describe("the program: an absolute path, or a name in the system folders"),
  args: z.array(z.string()).default([]).describe("its arguments; refer to a secret by name, as in `env`"),
  env: z
    .record(z.string(), z.string())
    .default({})
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
    .describe("its complete environment; refer to a secret by name, such as `${GITHUB_TOKEN}`"),
  cwd: z.string().optional().describe("the folder it runs in, relative to the configuration"),
  sandbox: z
    .union([z.literal(false), sandboxConfig])
    .default({ read: [], write: [], network: false })
    .describe("what the server can access on this machine; false for no sandbox"),
  limits: z
    .strictObject({
      memoryMb: z.int().positive().optional().describe("the maximum memory in MiB (default: 4096)"),
      openFiles: z.int().positive().optional().describe("the maximum number of open files (default: 1024)"),
    })
    .optional()
    .describe("the limits of each process of the server"),
  ...sharedConfig,
});
export type McpStdioConfig = z.output<typeof mcpStdioConfig>;

const issuerUrl = z.url({ protocol: /^https?$/ });

const loginConfig = z
  .strictObject({
    login: z.literal(true).describe("a person logs in with `paraph mcp login`"),
    issuer: issuerUrl
      .optional()
      .describe("the only issuer that Paraph accepts, even if the server names another"),
    clientId: z
      .string()
      .min(1)
      .optional()
      .describe("the id of a client at the issuer, or the URL of a client metadata document"),
    clientSecret: secretText.optional().describe("the secret of the client; refer to it by name"),
    scope: z.string().optional().describe("the scope to request"),
  })
  .refine(({ clientId, clientSecret }) => clientId !== undefined || clientSecret === undefined, {
    message: "`clientSecret` requires `clientId`",
  });

const clientCredentialsConfig = z.strictObject({
  issuer: issuerUrl.describe("the issuer of the tokens; Paraph sends the client secret only there"),
  clientId: z.string().min(1).describe("the id of a client at the issuer"),
  clientSecret: secretText.describe("the secret of the client; refer to it by name"),
  scope: z.string().optional().describe("the scope to request"),
});

export const mcpHttpConfig = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe("the URL of the server"),
  credential: secretText
    .optional()
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a secret is named, not put in.
    .describe("the value of the header `Authorization`, such as `Bearer ${GITHUB_TOKEN}`"),
  oauth: z
    .union([loginConfig, clientCredentialsConfig], {
      error: "set either `login: true`, or `issuer`, `clientId` and `clientSecret`",
    })
    .optional()
    .describe("a person's login, or a token from client credentials; replaces `credential`"),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/), z.string())
    .default({})
    .describe("further headers of every request; refer to a secret by name"),
  ...sharedConfig,
});
export type McpHttpConfig = z.output<typeof mcpHttpConfig>;
