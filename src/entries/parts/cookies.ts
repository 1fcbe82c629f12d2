export { cookies } from '../../client/features/cookies/cookies'
