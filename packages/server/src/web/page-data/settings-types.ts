import type { PasskeyEnrolment } from "../../services/passkeys.ts";

/** The data of the page on which a person chooses their notices. */
export interface NotificationsPage {
  readonly reader: string;
  /** The reader's Slack account, if Slack is configured. */
  readonly slack?: {
    readonly account?: { readonly teamName: string; readonly accountName: string } | undefined;
    readonly proof: string;
  };
  readonly proof: string;
  readonly settings: {
    readonly available: readonly {
      readonly channel: string;
      readonly address?: string | undefined;
      readonly devices?: readonly PageDevice[] | undefined;
    }[];
    readonly channels?: readonly string[];
    readonly quiet?: {
      readonly from: string;
      readonly until: string;
      readonly timeZone: string;
      readonly pierce: "high" | "critical" | "none";
    };
  };
  /** The key to which browsers bind push subscriptions. Missing if push is not configured or has no key here. */
  readonly pushKey?: string;
  /** Why the posted form was not saved. */
  readonly fault?: string;
  readonly saved?: boolean;
}

/** A browser in which the reader turned on push notifications. The times are ISO texts. */
export interface PageDevice {
  readonly id: string;
  readonly name: string;
  readonly addedAt: string;
  readonly usedAt?: string | undefined;
}

/** The question whether a Slack account belongs to the reader. */
export interface SlackLinkPage {
  readonly reader: string;
  readonly proof: string;
  readonly invitation: string;
  readonly teamName: string;
  readonly accountName: string;
}

/** The data of the page on which a person enrols and removes passkeys. */
export interface PasskeysPage {
  readonly reader: string;
  readonly proof: string;
  readonly passkeys: readonly {
    readonly credential: string;
    readonly label: string;
    /** The digits with which people compare the public key on two screens. */
    readonly fingerprint: string;
    readonly createdAt: number;
    readonly usedAt?: number;
  }[];
  /** The options of the WebAuthn ceremony. Missing if Paraph is reached at an IP address. */
  readonly enrolment?: PasskeyEnrolment;
  /** Why the posted registration was not accepted. */
  readonly fault?: string;
}
