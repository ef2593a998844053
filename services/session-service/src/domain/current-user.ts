// What a refresh asks about its user.

/** The part of a directory that a refresh needs. */
export interface UserSource {
  findById(
    id: number,
  ): Promise<{ readonly id: number; readonly email: string; readonly disabled: boolean } | undefined>;
}

/** The user as the directory has it now; undefined when it is gone or disabled (decisions 3.4). */
export async function currentUser(
  directory: UserSource,
  id: number,
): Promise<{ readonly id: number; readonly email: string } | undefined> {
  const user = await directory.findById(id);
  return user === undefined || user.disabled ? undefined : { id: user.id, email: user.email };
}
