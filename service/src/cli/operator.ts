import type { Actor } from '../projects/keys.ts'
import type { CommandCall } from './command.ts'

/** Returns the actor of the command line. Write access to the data folder grants every permission. */
export const OPERATOR = ({ scopes }: Pick<CommandCall, 'scopes'>): Actor => ({ projectId: undefined, scopes })
