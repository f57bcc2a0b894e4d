import { type Bug, core } from "./bug.ts";

/** Mutations of what an edit may do and of who approves it. */
export const editsBugs: readonly Bug[] = [...editors(), ...rights()];

const presets = (title: string) => ({ file: "packages/server/src/edits.test.ts", title });

function editors(): Bug[] {
  return [
    {
      name: "let an editor vote for his edit",
      file: core("pipeline/voice.ts"),
      find: 'if (question.editors.includes(voter.id) && !isOnlyPerson) return { groups, unheard: "own-edit" };',
      replace: "",
      caughtBy: presets("an editor of an editor's edit does not count, and neither does the first"),
      quick: true,
    },
    {
      name: "forget earlier editors",
      file: core("editors.ts"),
      find: "return [...editors.filter((one) => one !== editor), editor];",
      replace: "return editors.length < 0 ? editors : [editor];",
      caughtBy: presets("an editor of an editor's edit does not count, and neither does the first"),
    },
    {
      name: "confirm an edit beside others",
      file: core("pipeline/decide.ts"),
      find: "return voiceOf(voter, absent, questionOf(call, round), !hasOther);",
      replace:
        "return voiceOf(voter, absent, questionOf(call, round), !hasOther || voter.owner === undefined);",
      caughtBy: {
        file: "packages/server/src/http/edits.test.ts",
        title:
          "[TRUST 28] no surface lets an editor approve his edit: one decision, many at once, the page and its inbox",
      },
    },
    {
      name: "count a grant of the editor's",
      file: core("evidence.ts"),
      find: " && !editors.includes(by)",
      replace: "",
      caughtBy: presets("a grant that the editor gave does not approve his edit"),
    },
  ];
}

function rights(): Bug[] {
  return [
    {
      name: "edit a step into another capability",
      file: core("pipeline/edit.ts"),
      find: "demandSameCapabilities(call, next, capability, ports);",
      replace: "",
      caughtBy: presets("keeps each step's capability and adds no step, nested ones included"),
    },
    {
      name: "edit on the requester's right alone",
      file: core("pipeline/edit.ts"),
      find: "const held = await heldToEditor(next, capability, considered, editor, ports);",
      replace: "const held: { next: Call; considered: Considered } = { next, considered };",
      caughtBy: presets("is not performed on the requester's right alone"),
    },
    {
      name: "edit without the scope to call",
      file: "packages/server/src/http/routes/handling.ts",
      find: "refuseOutOfReach(c, call.capability, input);",
      replace: "",
      caughtBy: {
        file: "packages/server/src/http/edits.test.ts",
        title: "[TRUST 14] [TRUST 21] an edit needs the scope to call what it becomes",
      },
    },
    {
      name: "repeat a call without its editors",
      file: "packages/server/src/handling.ts",
      find: "    repeats: call,\n",
      replace: "",
      caughtBy: {
        file: "packages/server/src/http/edits.test.ts",
        title: "[TRUST 28] a retry of an edited call keeps its editors and its requirements",
      },
    },
  ];
}
