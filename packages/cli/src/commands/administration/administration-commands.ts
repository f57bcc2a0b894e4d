import { Argument, type Command, Option } from "commander";
import { parseWholeNumber, type RunCommand, readGlobals } from "../../lib/command-options.ts";

/**
 * Adds the commands that administer principals, grants and freezes. Each change is a call of `admin.*`, and policy
 * rules on it as on any other call.
 */
export function addAdministrationCommands(program: Command, run: RunCommand): void {
  addFreezeCommands(program, run);
  addPeopleCommands(program, run);
  addGrantCommands(program, run);
}

function addFreezeCommands(program: Command, run: RunCommand): void {
  addWaitOption(program.command("freeze"))
    .description("freeze a principal, a capability, an adapter or the tenant immediately")
    .addArgument(new Argument("<kind>").choices(["principal", "capability", "adapter", "tenant"]))
    .argument(
      "[subject]",
      "id of the principal, or name of the capability, adapter or tenant (default: your tenant)",
    )
    .option("--reason <text>", "reason, recorded with the call")
    .addHelpText("after", freezeExamples)
    .action(async (kind, subject, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./freeze.ts")).freezeSubject(context, kind, subject, options),
      ),
    );
  addWaitOption(program.command("thaw <freeze>"))
    .description("lift a freeze")
    .option("--reason <text>", "reason, recorded with the call")
    .action(async (freeze, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./thaw.ts")).thawSubject(context, freeze, options),
      ),
    );
  program
    .command("freezes")
    .description("list freezes")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./freeze.ts")).showFreezes(context)),
    );
}

function addPeopleCommands(program: Command, run: RunCommand): void {
  const principals = program
    .command("principals")
    .description("list people, agents and services, or add one")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./principals.ts")).showPrincipals(context)),
    );
  addWaitOption(principals.command("add"))
    .description("add a person, an agent or a service")
    .addArgument(new Argument("<kind>").choices(["person", "agent", "service"]))
    .argument("<id>")
    .option("--owner <person>", "person who owns the agent or the service")
    .action(async (kind, id, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./principals.ts")).addPrincipal(context, kind, id, options),
      ),
    );
  for (const verb of ["disable", "enable"] as const)
    addWaitOption(principals.command(`${verb} <id>`))
      .description(
        verb === "disable"
          ? "disable a person, an agent or a service, and end its sessions"
          : "enable a principal that was disabled",
      )
      .option("--reason <text>", "reason, recorded with the call")
      .action(async (id, options, command) =>
        run(readGlobals(command), async (context) =>
          (await import("./principals.ts")).setPrincipalEnabled(context, verb, id, options),
        ),
      );
  addWaitOption(principals.command("contact <person>"))
    .description("change the mail address at which Paraph tells a person about approvals")
    .option("--mail <address>", "new mail address")
    .option("--remove", "remove the mail address")
    .action(async (person, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./principals.ts")).changeContact(context, person, options),
      ),
    );
  addWaitOption(principals.command("end-sessions <person>"))
    .description("end a person's browser sessions")
    .option("--reason <text>", "reason, recorded with the call")
    .action(async (person, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./principals.ts")).endSessions(context, person, options),
      ),
    );

  addWaitOption(program.command("invite <person>"))
    .description("invite a person with a one-time login link")
    .option("--hours <number>", "validity of the link in hours (default: 72)", (text) =>
      parseWholeNumber(text, 0),
    )
    .action(async (person, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./invite.ts")).invitePerson(context, person, options),
      ),
    );
  program
    .command("recover <person>")
    .description("make a person an administrator of a locked tenant, or create a login link for a person")
    .requiredOption("--reason <text>", "reason, kept on record")
    .option("--login-only", "only create a login link, for an existing person")
    .option("--tenant <name>", "tenant to recover (default: the tenant of `paraph dev`)")
    .option(
      "--database <url>",
      "URL of the database, with the login of its owner (default: DATABASE_OWNER_URL)",
    )
    .action(async (person, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./recover.ts")).recoverAccess(context, person, options),
      ),
    );

  const groups = program
    .command("groups")
    .description("list groups and their members, or change one")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./groups.ts")).showGroups(context)),
    );
  for (const verb of ["add", "remove"] as const)
    addWaitOption(groups.command(`${verb} <group> <who...>`))
      .description(verb === "add" ? "add principals to a group" : "remove principals from a group")
      .action(async (group, who, options, command) =>
        run(readGlobals(command), async (context) =>
          (await import("./groups.ts")).changeGroup(context, verb, group, who, options),
        ),
      );

  const passkeys = program
    .command("passkeys")
    .description("list passkeys, which people enrol on the page /passkeys, or remove one")
    .option("--person <id>", "list only passkeys of this person")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./passkeys.ts")).showPasskeys(context, options),
      ),
    );
  addWaitOption(passkeys.command("remove <id>"))
    .description("remove a passkey")
    .option("--reason <text>", "reason, recorded with the call")
    .action(async (id, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./passkeys.ts")).removePasskey(context, id, options),
      ),
    );

  const keys = program
    .command("keys")
    .description("list API keys, create one or revoke one")
    .option("--principal <id>", "list only keys of this principal")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) => (await import("./keys.ts")).showKeys(context, options)),
    );
  addWaitOption(keys.command("create <principal>"))
    .description("create an API key on this machine and register it")
    .option("--scope <scopes...>", "scopes of the key: calls, calls:PATTERN, read, decide, admin")
    .option("--expires <duration>", "time until the key expires, for example 12h or 30d")
    .option("--label <text>", "label of the key")
    .action(async (principal, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./keys.ts")).createKey(context, principal, options),
      ),
    );
  addWaitOption(keys.command("revoke <id>"))
    .description("revoke an API key everywhere within seconds")
    .option("--reason <text>", "reason, recorded with the call")
    .action(async (id, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./keys.ts")).revokeKey(context, id, options),
      ),
    );
}

function addGrantCommands(program: Command, run: RunCommand): void {
  const grant = addWaitOption(program.command("grant <capability>"))
    .description("request a grant, which approves calls in advance within bounds")
    .option("--for <principal>", "grant only calls by this principal")
    .addOption(createBoundOption())
    .option("--count <number>", "maximum number of calls", (text) => parseWholeNumber(text, 0), 1)
    .option("--amount <number>", "maximum total amount of money, in minor units", (text) =>
      parseWholeNumber(text, 0),
    )
    .option("--expires <duration>", "time until the grant expires, for example 30m, at most 8h", "1h")
    .option("--people <number>", "number of people who must approve", (text) => parseWholeNumber(text, 0))
    .option("--destroy", "include destructive calls in the grant")
    .addHelpText("after", grantExamples)
    .action(async (capability, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./grants.ts")).requestGrant(context, capability, options),
      ),
    );
  addWaitOption(grant.command("revoke <grant>"))
    .description("revoke a grant")
    .option("--reason <text>", "reason, recorded with the call")
    .action(async (id, _, command) =>
      run(readGlobals(command), async (context) =>
        // Uses `optsWithGlobals`, because the parent command `grant` consumes the options that it shares with `revoke`.
        (await import("./grants.ts")).revokeGrant(context, id, command.optsWithGlobals()),
      ),
    );
  program
    .command("grants")
    .description("list grants")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./grants.ts")).showGrants(context)),
    );
  addWaitOption(program.command("break-glass <what>"))
    .description("allow one call without approval in an emergency")
    .requiredOption("--reason <text>", "reason, recorded with the call")
    .option("--for <principal>", "principal of the call (default: you)")
    .addOption(createBoundOption())
    .option(
      "--minutes <number>",
      "minutes until the permission expires, at most 15",
      (text) => parseWholeNumber(text, 0),
      15,
    )
    .action(async (what, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./break-glass.ts")).requestBreakGlass(context, what, options),
      ),
    );
}

/** Adds `--wait`, because a change may have to wait for another person. */
function addWaitOption(command: Command): Command {
  return command.option(
    "--wait <time>",
    "how long to wait for the outcome, such as 30s or 5m (default: 10s, or 0 if the call needs approval)",
  );
}

function createBoundOption(): Option {
  return new Option("--bound <bounds...>", "limit on an input field: path=text, path^=start or cents<=500");
}

const freezeExamples = `
Examples:
  paraph freeze principal support-bot --reason "it repeats itself"
  paraph freeze adapter github
  paraph freeze tenant`;

const grantExamples = `
Bounds:
  path=text       exactly this text          count:=3   exactly this JSON value
  path^=notes/    begins with this           cents<=500, cents>=1

Examples:
  paraph grant files.write --for agent --bound path^=notes/ --count 20 --expires 2h
  paraph grant revoke grant_01k2m4x7p9`;
