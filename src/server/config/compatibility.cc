#include "server/config/compatibility.h"

namespace laurel::server {

const std::string_view kLaurelVersion = LAUREL_VERSION;

}  // namespace laurel::server
