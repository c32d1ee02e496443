export interface UsersTable {
  id: string;
  /** In lower case; unique unless null. */
  email: string | null;
  displayName: string;
  photoURL: string | null;
  createdAt: string;
}
