import { type CommandCall, CommandError, type Option } from './command.ts'
import { toSeconds } from './duration.ts'

export const GRACE: Option = {
  value: '30m|24h|7d',
  what: 'How long the previous one stays valid. Default: not at all.',
}

/** Returns the seconds of `--grace`. */
export const graceOf = ({ options: { grace } }: Pick<CommandCall, 'options'>): number => {
  if (typeof grace !== 'string') return 0
  const seconds = toSeconds(grace)
  if (seconds === undefined)
    throw new CommandError(`--grace expects a duration such as 30m, 24h or 7d, got "${grace}".`)
  return seconds
}
