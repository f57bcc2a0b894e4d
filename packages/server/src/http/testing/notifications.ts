import type { NotificationPreferences, NotificationService } from "../../services/notifications.ts";

/** Creates the preferences of people in memory, with one channel. */
export function createTestNotifications(): NotificationService {
  const chosen = new Map<string, NotificationPreferences>();
  return {
    read: async ({ id }) => ({
      ...chosen.get(id),
      available: [{ channel: "mail", address: `${id}@example.com` }],
    }),
    markOpened: async () => {},
    write: async ({ id }, preferences) => void chosen.set(id, preferences),
  };
}
