import type { Actor } from '../projects/keys.ts'
import type { CommandCall } from './command.ts'

/** Whoever may write into the data folder may do everything. */
export const OPERATOR = ({ scopes }: Pick<CommandCall, 'scopes'>): Actor => ({ projectId: undefined, scopes })
