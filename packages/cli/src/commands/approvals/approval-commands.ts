import { Argument, type Command, Option } from "commander";
import { createLimitOption, type RunCommand, readGlobals } from "../../lib/command-options.ts";

/**
 * Adds the commands with which people decide about calls, and the commands that resolve calls with an unknown outcome.
 */
export function addApprovalCommands(program: Command, run: RunCommand): void {
  program
    .command("approvals")
    .description("list open approvals")
    .addOption(createLimitOption())
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./approvals.ts")).showApprovals(context, options),
      ),
    );
  program
    .command("watch")
    .description("show requests as they arrive, and decide them here")
    .option("--no-notify", "show no desktop notifications")
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./watch.ts")).watchApprovals(context, options),
      ),
    );
  program
    .command("approval <id>")
    .description("show one approval in full, by its id or its call's id, or `last` if only one is open")
    .action(async (id, _, command) =>
      run(readGlobals(command), async (context) => (await import("./approval.ts")).showApproval(context, id)),
    );
  for (const decision of ["approve", "deny"] as const) {
    program
      .command(`${decision} <id>`)
      .description(
        decision === "approve" ? "review a call, then approve it" : "deny a call, so that it has no effect",
      )
      .option("--reason <text>", "reason, recorded with the call")
      .option(
        "-y, --yes",
        decision === "approve"
          ? "approve without showing the approval or asking (needs its id and --fingerprint)"
          : "deny without showing the approval or asking",
      )
      .option("--fingerprint <text>", "decide only if the approval has this fingerprint")
      .option(
        "--wait <time>",
        "how long to wait for the outcome, such as 30s or 5m (default: 10s, or 1m for a plan)",
      )
      .option("--answer <value>", "answer to the question that the approval asks")
      .option("--without <steps>", "steps to leave out of a plan, separated by commas")
      .action(async (id, options, command) =>
        run(readGlobals(command), async (context) =>
          (await import("./decide.ts")).decideApproval(context, decision, id, options),
        ),
      );
  }
  program
    .command("edit <approval>")
    .description("edit the input of a waiting call, in your editor or with --input")
    .option("--input <json>", "whole new input: a file, `-` for standard input, or the JSON itself")
    .option("--step <id>", "edit only the input of this step of a plan")
    .option("--reason <text>", "reason, shown to the requester")
    .action(async (id, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./edit.ts")).editApproval(context, id, options),
      ),
    );
  program
    .command("return <approval>")
    .description("return a call to its requester with instructions")
    .requiredOption("--instructions <text>", "instructions for the requester")
    .option("-y, --yes", "return without showing the approval or asking")
    .action(async (id, { instructions, ...options }, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./decide.ts")).decideApproval(context, "return", id, {
          ...options,
          reason: instructions,
          wait: "0",
        }),
      ),
    );
  program
    .command("withdraw <call>")
    .description("withdraw a call before it acts")
    .option("--reason <text>", "reason, recorded with the call")
    .action(async (call, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("../calls/call-actions.ts")).requestWithdrawal(context, call, options),
      ),
    );
  program
    .command("comments <call>")
    .description("show the comments on a call, or add one")
    .option("--add <text>", "add a comment")
    .option("--ask <text>", "ask the agent a question")
    .option("--answer <text>", "answer a question as the agent")
    .action(async (call, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./comments.ts")).showComments(context, call, options),
      ),
    );
  program
    .command("reassign <approval> <person>")
    .description("let another person vote on one approval in your place")
    .action(async (approval, person, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./reassign.ts")).reassignApproval(context, approval, person),
      ),
    );
  addDelegationCommands(program, run);
  addNotificationCommands(program, run);
  addOutcomeCommands(program, run);
}

/** Adds the commands for delegates, who vote in the place of an absent person. */
function addDelegationCommands(program: Command, run: RunCommand): void {
  program
    .command("delegate <person>")
    .description("name a delegate who may vote in your place")
    .requiredOption("--until <time>", "end of the delegation")
    .option("--from <time>", "start of the delegation (default: now)")
    .action(async (person, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./delegate.ts")).createDelegation(context, person, options),
      ),
    );
  const delegations = program
    .command("delegations")
    .description("list delegations, or end one")
    .action(async (_, command) =>
      run(readGlobals(command), async (context) => (await import("./delegate.ts")).showDelegations(context)),
    );
  delegations
    .command("end <delegation>")
    .description("end a delegation early")
    .action(async (delegation, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./delegate.ts")).endDelegation(context, delegation),
      ),
    );
}

/** Adds the commands for how people are told about requests, and tell that they look at one. */
function addNotificationCommands(program: Command, run: RunCommand): void {
  program
    .command("acknowledge <approval>")
    .description("tell the other approvers that you look at a request, which delays the next escalation")
    .action(async (id, _, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./acknowledge.ts")).acknowledgeApproval(context, id),
      ),
    );
  program
    .command("notices <call>")
    .description("show whom Paraph told about a call, and who opened it")
    .action(async (call, _, command) =>
      run(readGlobals(command), async (context) => (await import("./notices.ts")).showNotices(context, call)),
    );
  program
    .command("notifications")
    .description("show or change how Paraph tells you about approvals")
    .option("--channels <names>", "channels to use, separated by commas, or `all` or `none`")
    .option("--quiet <times>", "quiet hours, such as 22:00-07:00")
    .option("--no-quiet", "remove the quiet hours")
    .option("--time-zone <name>", "time zone of the quiet hours (default: that of this computer)")
    .addOption(
      new Option(
        "--pierce <urgency>",
        "lowest urgency that reaches you during quiet hours (default: high)",
      ).choices(["high", "critical", "none"]),
    )
    .action(async (options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("./notifications.ts")).showNotifications(context, options),
      ),
    );
}

/** Adds the commands for calls with an unknown outcome. */
function addOutcomeCommands(program: Command, run: RunCommand): void {
  program
    .command("resolve <call>")
    .description("record what you found out about an unknown outcome")
    .addArgument(
      new Argument("<finding>", "whether the call took effect").choices(["happened", "not-happened"]),
    )
    .requiredOption("--reason <text>", "how you found out")
    .action(async (call, finding, options, command) =>
      run(readGlobals(command), async (context) =>
        (await import("../calls/call-actions.ts")).resolveCall(context, call, finding, options),
      ),
    );
  for (const verb of ["probe", "retry"] as const) {
    program
      .command(`${verb} <call>`)
      .description(
        verb === "probe"
          ? "probe the external system again for an unknown outcome"
          : "resume a stuck call, or request a call again that did not happen",
      )
      .action(async (call, _, command) =>
        run(readGlobals(command), async (context) =>
          (await import("../calls/call-actions.ts"))[verb](context, call),
        ),
      );
  }
}
