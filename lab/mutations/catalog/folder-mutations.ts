import { corePath, type Mutation, type NamedTest } from "../mutation.ts";

const cliPath = (path: string) => `packages/cli/src/${path}`;
const hookTest = (title: string): NamedTest => ({ file: "test/hook-trust.test.ts", title });

/** Mutations that let a working folder, or an agent in it, choose whom Paraph trusts. */
export const folderMutations: readonly Mutation[] = [
  ...listGatewayMutations(),
  ...listSandboxMutations(),
  ...listDoctorMutations(),
  ...listPlaceMutations(),
  ...listCopiedProjectMutations(),
  ...listOwnKeyMutations(),
  ...listConnectionMutations(),
  ...listLoginMutations(),
  ...listVerificationMutations(),
  ...listDecisionMutations(),
  ...listCompletionMutations(),
];

function listGatewayMutations(): Mutation[] {
  return [
    {
      name: "split a tool's name at the first place",
      file: cliPath("hook/classify-mcp-server.ts"),
      find: "if (splits.length > 1) return foreign;",
      replace: "",
      caughtBy: hookTest(
        "the hook compares the whole name, and a longer name is another server, whether it is configured or not",
      ),
    },
    {
      name: "ignore fields of a server that nobody knows",
      file: cliPath("hook/is-paraph-server.ts"),
      find: 'if (!hasOnly(fields, [...remoteFields, "bearer_token_env_var"])) return false;',
      replace: "",
      caughtBy: hookTest("the hook asks about a server that is defined by a helper that makes its headers"),
    },
    {
      name: "do not look at a server's command",
      file: cliPath("hook/is-paraph-server.ts"),
      find: "if (resolveRealPath(command) !== resolveRealPath(process.execPath)) return false;",
      replace: "",
      caughtBy: hookTest("the hook asks about a server that is defined by a shell with our arguments"),
    },
    {
      name: "look for servers only where the agent is",
      file: cliPath("hook/classify-mcp-server.ts"),
      find: "const starts = [cwd, process.cwd(), env.CLAUDE_PROJECT_DIR, env.GEMINI_PROJECT_DIR];",
      replace: "const starts = [cwd];",
      caughtBy: hookTest(
        "the hook reads the project's definitions and those of every folder above, wherever the agent works",
      ),
    },
  ];
}

function listSandboxMutations(): Mutation[] {
  const caughtBy = {
    file: cliPath("commands/mcp/import/import.test.ts"),
    title:
      "[TRUST 18] a program, script or installation in the home folder does not give access to the home folder",
  };
  return [
    {
      name: "let a program read the home folder that contains it",
      file: cliPath("commands/mcp/import/resolve-program.ts"),
      find: "if (await containsHome(folder, where)) return [path];",
      replace: "",
      caughtBy,
    },
    {
      name: "do not follow links to the home folder",
      file: cliPath("commands/mcp/import/home-folder.ts"),
      find: "return realpath(path).catch(() => resolve(path));",
      replace: "return Promise.resolve(resolve(path));",
      caughtBy,
    },
  ];
}

function listDoctorMutations(): Mutation[] {
  return [
    {
      name: "keep the journal of an import in the folder",
      file: cliPath("commands/mcp/mcp-import.ts"),
      find: 'join(findStateHome(environment), "mcp-import", await digestFolder(folder))',
      replace: 'join(folder, ".paraph", "mcp-import")',
      caughtBy: {
        file: cliPath("commands/mcp/mcp-import.test.ts"),
        title:
          "[TRUST 31] does not undo an import whose journal came with the folder, because it could name any file",
      },
    },
    {
      name: "use a `.paraph` that came with the folder",
      file: "packages/server/src/start/data-folder.ts",
      find: "if (!isOwn && !adopt && contents.length > 0)",
      replace: "if (!isOwn && !adopt && contents.length > 1_000)",
      caughtBy: {
        file: "packages/dev-servers/src/local/start-local.test.ts",
        title:
          "Paraph uses the folder once the user adopts it or has started Paraph there, even if that start was interrupted",
      },
    },
    {
      name: "let the doctor run what a project's settings name",
      file: cliPath("commands/doctor/hook-checks.ts"),
      find: "own.includes(command) || isWrittenHere(command, client, where)",
      replace: "commands.includes(command)",
      caughtBy: {
        file: cliPath("commands/doctor/hook-checks.test.ts"),
        title: "Claude Code: a command with our words in a comment is not run",
      },
    },
  ];
}

function listCopiedProjectMutations(): Mutation[] {
  return [
    {
      name: "run the configuration of any folder to install a hook",
      file: cliPath("hook/install/require-coding-agent.ts"),
      find: "if (!isOwn) return undefined;",
      replace: "if (!isOwn && folder === undefined) return undefined;",
      caughtBy: {
        file: cliPath("commands/hook/hook-install.test.ts"),
        title:
          "[TRUST 31] install does not run the configuration of a folder in which this user never ran `paraph dev`",
      },
    },
    {
      name: "follow a link to the workspace",
      file: cliPath("lib/config/configuration.ts"),
      find: "if (isBehindLink(folder, workspaceFolder))",
      replace: 'if (isBehindLink(folder, "."))',
      caughtBy: {
        file: cliPath("lib/config/configuration.test.ts"),
        title: "[TRUST 31] the built-in configuration refuses a workspace that is a link to another folder",
      },
    },
  ];
}

function listPlaceMutations(): Mutation[] {
  const request = (title: string): NamedTest => ({ file: cliPath("hook/tool-use/tool-call.test.ts"), title });
  return [
    {
      name: "let an agent search above the state folder",
      file: cliPath("hook/tool-use/protected-folders.ts"),
      find: "isContentSearch(client, tool) &&",
      replace: "client === ('' as typeof client) &&",
      caughtBy: request("cannot be searched from a folder that contains it: its parent"),
    },
    {
      name: "name a foreign tool's keys by known fields only",
      file: cliPath("hook/tool-use/protected-folders.ts"),
      find: '(kind === undefined || kind === "resource") &&',
      replace: 'kind === "canary" &&',
      caughtBy: request("cannot be passed to a foreign tool through a field inside"),
    },
    {
      name: "show the name of a file instead of its place",
      file: cliPath("hook/tool-use/tool-call.ts"),
      find: "(isText(path) ? resolvePath(cwd, path) : undefined)",
      replace: "(isText(path) && resolvePath(cwd, path) ? path : undefined)",
      caughtBy: request("resolves the real path from a link"),
    },
    {
      name: "take a link that leads nowhere for a file",
      file: cliPath("hook/tool-use/resolve-path.ts"),
      find: "linksLeft > 0 ? readLinkTarget(here) : undefined",
      replace: "linksLeft > maxLinks ? readLinkTarget(here) : undefined",
      caughtBy: request("resolves the real path from a link that leads nowhere yet"),
    },
    {
      name: "choose one of several readings of a path",
      file: cliPath("hook/tool-use/resolve-path.ts"),
      find: "places.size === 1",
      replace: "places.size > 0",
      caughtBy: request("a path that clients interpret differently is unknown: a home folder"),
    },
    {
      name: "let a second field name the place of a read",
      file: cliPath("hook/tool-use/tool-paths.ts"),
      find: ' || named === "" || more.length > 0)',
      replace: ' || named === "")',
      caughtBy: request("an input with two paths, or with no valid path, is unknown: gemini grep_search"),
    },
    {
      name: "let the parts of a pattern begin anywhere",
      file: cliPath("hook/tool-use/tool-paths.ts"),
      find: 'part.split(",").every((each) => /^[\\w*-](.*[^.])?$/.test(each))',
      replace: "true",
      caughtBy: request("a pattern that can leave its folder is unknown: {/etc/passwd,x}"),
    },
    {
      name: "leave a patch behind a link as it is",
      file: cliPath("hook/tool-use/tool-call.ts"),
      find: "|| resolvePatchedPaths(command, cwd) === undefined",
      replace: "",
      caughtBy: request("a patch is unknown unless all of its paths name the real files"),
    },
    {
      name: "take a description for words beside any deed",
      file: cliPath("hook/tool-use/tool-call.ts"),
      find: "(kind && proseFields[kind]) ?? []",
      replace: "Object.values(proseFields).flat() as readonly string[]",
      caughtBy: request(
        "[TRUST 1] a shell command's descriptive fields become its purpose, and MCP tools and skills keep every field",
      ),
    },
  ];
}

function listOwnKeyMutations(): Mutation[] {
  return [
    {
      name: "keep the person's key where adapters do not refuse it",
      file: "packages/server/src/start/local-record.ts",
      find: '".local/state"), ".paraph");',
      replace: '".local/state"), "paraph");',
      caughtBy: {
        file: "packages/adapters/src/files/paraph-folder.test.ts",
        title: "[TRUST 27] the person's key cannot be read if the root is the person's home",
      },
    },
    {
      name: "let the hook's policy rule on Paraph's own keys",
      file: cliPath("hook/before-tool.ts"),
      find: "if (isProtectedAccess(of, listProtectedFolders(context.environment, process.env)))",
      replace: "if (of.tool === '')",
      caughtBy: hookTest("by its path"),
    },
    {
      name: "shorten a path before its links are followed",
      file: cliPath("hook/tool-use/protected-folders.ts"),
      find: "return [shortened, resolveRealPath(shortened), resolveRealPath(path)];",
      replace: "return [shortened, resolveRealPath(shortened)];",
      caughtBy: hookTest("through a link and back"),
    },
    {
      name: "follow no link",
      file: cliPath("hook/tool-use/resolve-path.ts"),
      find: "return realpathSync.native(path);",
      replace: "return path;",
      caughtBy: hookTest("through a link"),
    },
    {
      name: "let a fetch through unasked",
      file: "packages/adapters/src/coding-agent/capabilities.ts",
      find: `      summary: "Fetch a URL",
      effect: "write",`,
      replace: `      summary: "Fetch a URL",
      effect: "read",`,
      caughtBy: hookTest(
        "[TRUST 31] a fetch waits for approval by default, with its URL and host; without a single web URL it is unknown",
      ),
    },
    {
      name: "take any call that a note names",
      file: cliPath("hook/before-tool.ts"),
      find: "return capability === this.#capability && isDeepStrictEqual(input, this.#wanted.input);",
      replace: "return capability !== '' || input !== this.#wanted.input;",
      caughtBy: hookTest(
        "[TRUST 1] a forged note cannot replace a call, because the hook compares the claimed call with the tool use",
      ),
    },
  ];
}

function listConnectionMutations(): Mutation[] {
  const connection = (title: string): NamedTest => ({ file: cliPath("lib/api/connection.test.ts"), title });
  return [
    {
      name: "take any process of a number for the one on record",
      file: cliPath("lib/api/connection.ts"),
      find: ' && started !== "" && started === readProcessStart(pid)',
      replace: "",
      caughtBy: connection("sends no key to a server on the port of an ended process whose pid was reused"),
    },
    {
      name: "print text that was not made visible",
      file: cliPath("lib/terminal/output.ts"),
      find: 'escapeInvisibleLines(part).join("\\n")',
      replace: "(escapeInvisibleLines(part), part)",
      caughtBy: {
        file: cliPath("lib/terminal/output.test.ts"),
        title:
          "[TRUST 5] writes control and invisible characters of untrusted text as code points; terminal: true",
      },
    },
    {
      name: "send the environment's keys to a folder's server",
      file: cliPath("lib/api/connection.ts"),
      find: "named === undefined\n      ? undefined",
      replace: "named === ''\n      ? undefined",
      caughtBy: connection(
        "sends the environment's key to a named address, and the recorded key to the recorded server",
      ),
    },
    {
      name: "send keys to a Paraph that has stopped",
      file: cliPath("lib/api/connection.ts"),
      find: " || !isAlive(running)) return undefined;",
      replace: ") return undefined;",
      caughtBy: connection("sends no key to a recorded server that has stopped or is on another machine"),
    },
    {
      name: "trust the keys that lie beside a receipt",
      file: cliPath("commands/audit/trusted-keys.ts"),
      find: "const recorded = local && (await findRecordFile(local, environment));",
      replace:
        "await findRecordFile(folder, environment); const recorded = local && join(local, trustedKeysFile);",
      caughtBy: {
        file: cliPath("commands/audit/verify.test.ts"),
        title: "[TRUST 31] does not automatically trust the keys in the folder's `.paraph/trusted-keys.json`",
      },
    },
  ];
}

function listLoginMutations(): Mutation[] {
  const storedLogin = cliPath("lib/api/stored-login.ts");
  const loginTest = (title: string): NamedTest => ({ file: cliPath("commands/login/login.test.ts"), title });
  return [
    {
      name: "store a login that other users can read",
      file: storedLogin,
      find: '{ mode: 0o600, flag: "wx" }',
      replace: '{ flag: "wx" }',
      caughtBy: loginTest(
        "[TRUST 21] stores a key that the server accepts, for this user only, and `paraph logout` deletes it",
      ),
    },
    {
      name: "use a stored login that other users can change",
      file: storedLogin,
      find: "(mode & 0o077) !== 0",
      replace: "(mode & 0o044) !== 0",
      caughtBy: loginTest("[TRUST 21] refuse a stored login with mode 602"),
      quick: true,
    },
    {
      name: "send a stored key to any named server",
      file: cliPath("lib/api/connection.ts"),
      find: "const stored = login && isSameOrigin(url, login.url) ? pickKey(login, speaker) : undefined;",
      replace: "const stored = login ? pickKey(login, speaker) : undefined;",
      caughtBy: loginTest("[TRUST 31] send a stored key only to its own server"),
      quick: true,
    },
    {
      name: "use the stored login for a stopped `paraph dev`",
      file: cliPath("lib/api/connection.ts"),
      find: "return isNamed || findParaphFolder(folder) === undefined ? readLogin(environment) : undefined;",
      replace: "return isNamed || folder ? readLogin(environment) : undefined;",
      caughtBy: loginTest(
        "do not use the stored login in a folder of `paraph dev`, or if they are for one folder",
      ),
      quick: true,
    },
  ];
}

function listVerificationMutations(): Mutation[] {
  const verify = (title: string): NamedTest => ({ file: corePath("receipts/verify.test.ts"), title });
  const story = corePath("receipts/verify-predicate.ts");
  return [
    {
      name: "trust the keys among receipts",
      file: "packages/console/src/receipts/verification.ts",
      find: "!ownKeys || receipts.length === 0",
      replace: "ownKeys || receipts.length === 0",
      caughtBy: {
        file: "packages/console/src/receipts/verification.test.ts",
        title: "[TRUST 31] keys among receipts do not replace the keys that a person chose before",
      },
    },
    {
      name: "believe that a round was approved",
      file: story,
      find: "    verifyRound(story, close);",
      replace: "    void close;",
      caughtBy: verify("[TRUST 1] an approved round without a vote"),
    },
    {
      name: "count votes for any digest",
      file: story,
      find: 'assertValid(data.digest === digest, "the digest of a vote differs from the digest of its round");',
      replace: "",
      caughtBy: verify("[TRUST 1] a vote for another digest"),
    },
    {
      name: "take a round's first closing",
      file: story,
      find: "const close = earlier.findLast(",
      replace: "const close = earlier.find(",
      caughtBy: verify("[P5] the approved round was voided"),
    },
    {
      name: "let a refused call have acted",
      file: story,
      find: '  "refused",\n',
      replace: "",
      caughtBy: verify("[P4] an effect in a refused call"),
    },
  ];
}

function listDecisionMutations(): Mutation[] {
  return [
    {
      name: "approve what nobody has seen",
      file: cliPath("commands/approvals/decide.ts"),
      find: 'options.yes && (id === "last" || options.fingerprint === undefined)',
      replace: 'options.yes && id === ""',
      caughtBy: {
        file: cliPath("commands/approvals/approvals.test.ts"),
        title:
          "[TRUST 1] `--yes` needs a named request and its fingerprint, and never approves another request",
      },
    },
  ];
}

function listCompletionMutations(): Mutation[] {
  return [
    {
      name: "complete names without quotes",
      file: cliPath("commands/completion/completion.ts"),
      find: '@folders) compopt -o filenames 2>/dev/null && mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;',
      replace: '@folders | @files) COMPREPLY=($(compgen -f -- "$cur")) ;;',
      caughtBy: {
        file: cliPath("commands/completion/completion.test.ts"),
        title: "[TRUST 31] does not run a command in the name of a file or folder: paraph dev --folder",
      },
    },
  ];
}
