export { bots } from '../../client/features/bots/bots'
