/** The data of the edit page, which shows a call's input as a form. */
export interface EditPage {
  readonly reader: string;
  readonly approval: string;
  readonly digest: string;
  readonly proof: string;
  readonly title: string;
  /** One line that says what the call or the step does as requested. */
  readonly headline: string;
  readonly capability: string;
  readonly fields: readonly FormField[];
  /** The fault of the submitted form, if any. */
  readonly fault?: string;
  /** The reason in the submitted form, if it has a fault. */
  readonly reason?: string;
  /** Whether the page shows the whole input as one JSON text. */
  readonly raw: boolean;
  /** The step to edit, if the page edits only one step of a plan. */
  readonly step?: string;
  readonly approvers: EditApprovers;
}

/** The people who can approve the edited request, according to the policies that ask for the current one. */
export interface EditApprovers {
  /** Whether the tenant has no other person, so that the editor confirms their own edit. */
  readonly isOnlyPerson: boolean;
  /** The number of approvals that it needs. */
  readonly quorum: number;
  /** The groups of which approvers have to be members, if any. */
  readonly groups: readonly string[];
  readonly people: readonly string[];
  /** Whether there may be more such people. */
  readonly hasMore: boolean;
}

/** One value of an input, with the name of its form field. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly help?: string;
  readonly required: boolean;
  /** The text in the form. Fields of the kind `json` hold JSON. */
  readonly value: string;
  readonly kind: "text" | "number" | "boolean" | "choice" | "json" | "group";
  readonly options?: readonly string[];
  readonly fields?: readonly FormField[];
  /** Whether the value is present but optional, so that a person can leave it out. */
  readonly omittable: boolean;
}
