import type {
  ApprovalPage,
  BundlePage,
  BundleResultPage,
  CallPage,
  DecidedPage,
  EditPage,
  InboxPage,
  NoticePage,
  NotificationsPage,
  PasskeysPage,
  ReceiptPage,
  SlackLinkPage,
  UnknownsPage,
} from "../page-data/page-types.ts";

/** The renderers of the pages. `start/api-role.ts` passes them to the HTTP server. */
export interface Pages {
  approval(page: ApprovalPage): string;
  bundle(page: BundlePage): string;
  bundleResult(page: BundleResultPage): string;
  call(page: CallPage): string;
  decided(page: DecidedPage): string;
  edit(page: EditPage): string;
  inbox(page: InboxPage): string;
  notice(page: NoticePage): string;
  notifications(page: NotificationsPage): string;
  passkeys(page: PasskeysPage): string;
  receipt(page: ReceiptPage): string;
  slackLink(page: SlackLinkPage): string;
  unknowns(page: UnknownsPage): string;
  readonly stylesheet: string;
  /** The path at which the pages load the stylesheet. */
  readonly stylesheetPath: string;
}
