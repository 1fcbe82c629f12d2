export { checks } from '../../client/features/checks/checks'
