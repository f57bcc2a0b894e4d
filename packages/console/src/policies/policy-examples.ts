/** Policies to begin with, by name. The names in capitals stand for those of a capability and its fields. */
export const policyExamples: readonly (readonly [name: string, text: string])[] = [
  [
    "Ask two people above an amount",
    `// Replace ADAPTER.CAPABILITY, and AMOUNT with a field of its input. Capabilities lists both.
@id("large-amounts-need-two-people")
@ruling("ask")
@quorum("2")
@urgency("high")
@sentence("This is a large amount, so two people decide.")
forbid (principal, action == Action::"ADAPTER.CAPABILITY", resource)
when { context.input.AMOUNT > 100000 }
unless { context.evidence.discharged.contains("large-amounts-need-two-people") };
`,
  ],
  [
    "Forbid an agent to change something",
    `// Replace AGENT with the id of the agent, and ADAPTER.CAPABILITY. Capabilities lists all names.
@id("agent-does-not-change-this")
@sentence("This agent may not change this.")
forbid (principal == Agent::"AGENT", action == Action::"ADAPTER.CAPABILITY", resource);
`,
  ],
];
