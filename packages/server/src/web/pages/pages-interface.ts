import type { ApprovalPage, CallPage, ReceiptPage } from "../page-data/approval-types.ts";
import type { EditPage } from "../page-data/edit-types.ts";
import type {
  BundlePage,
  BundleResultPage,
  DecidedPage,
  InboxPage,
  UnknownsPage,
} from "../page-data/list-types.ts";
import type { NotificationsPage, PasskeysPage, SlackLinkPage } from "../page-data/settings-types.ts";
import type { NoticePage } from "./notice-page.ts";

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
