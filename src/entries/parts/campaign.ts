export { campaign } from '../../client/features/campaign/campaign'
