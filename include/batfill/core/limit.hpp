#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <batfill/core/request.hpp>
#include <batfill/core/resources.hpp>

namespace batfill {

// How much of a machine all jobs of a user, an account, ... may use at once: a line of a file of limits.
struct Limit {
    std::vector<std::string> of;  // fields of jobs
    // The values of these fields that it is for, as texts. None: each value. As long as `of`.
    std::vector<std::optional<std::string>> values;
    StatedNeeds::Amounts most;
    std::size_t line = 0;
    std::string place{};  // file and line, for messages
    friend bool operator==(const Limit&, const Limit&) = default;
};

// The value of a job's field as a text, if it is a text or a whole number.
using FieldText = std::function<std::optional<std::string>(const std::string& name)>;

// The limits of a machine, and which of them count for a job.
class Limits {
 public:
    // What a limit counts.
    enum class Counted { jobs, processors, pool, capacity };
    // One of the amounts of a limit, for one combination of values of its fields.
    struct Bound {
        std::size_t limit = 0;  // in all()
        std::size_t name = 0;   // in its `most`
        std::string key;        // equal for bounds of the same limit, name and values
        Amount taken = 0;       // by the job, of the limit's `most`; more than 0
    };

    Limits() = default;
    // `resources`, here and below, are those of the machine.
    // Throws: InputError, which names the place, for a name that the machine does not have.
    Limits(std::vector<Limit> all, const Resources& resources);

    const std::vector<Limit>& all() const { return all_; }
    bool empty() const { return all_.empty(); }
    Amount most(const Bound& bound) const { return all_[bound.limit].most[bound.name].second; }

    // The bounds that count for a job of which it takes more than 0. Of the limits with the same fields that speak of
    // its values and have the name, those count that name the most values.
    // Cost: O(limits of the job), and a search for each combination of named fields that limits have.
    std::vector<Bound> bounds_for(const Request& request, const Resources& resources, const FieldText& field) const;
    // Why the job could not even run alone, as a predicate ("asks for ..."). None: it could.
    std::optional<std::string> reason_to_refuse(const Request& request, const Resources& resources,
                                                const FieldText& field) const;
    // Whether only a look at the job's fields tells. Cost: O(different names).
    bool may_refuse(const Request& request, const Resources& resources) const;

    // "limit 2, account bio, user alice", of a job whose fields have these values.
    std::string name_of(std::size_t limit, const FieldText& field) const;

 private:
    struct Name {
        Counted counted{};
        std::size_t number = 0;  // of the pool or the capacity
        friend bool operator==(const Name&, const Name&) = default;
    };
    // Limits of a group that name values of the same fields.
    struct Pattern {
        std::vector<bool> is_named;  // by field
        std::size_t named = 0;
        std::unordered_map<std::string, std::vector<std::size_t>> limits;  // by the values; only looked up
    };
    // Limits with the same fields.
    struct Group {
        std::vector<std::string> of;
        std::vector<Pattern> patterns;  // those that name the most values first
    };

    static Name name_in(const Resources& resources, const Limit& limit, const std::string& name);
    static Amount taken_of(const Name& name, const Request& request, const Resources& resources);
    void add_bounds(const Group& group, const std::vector<std::string>& values, const Request& request,
                    const Resources& resources, std::vector<Bound>& bounds) const;

    std::vector<Limit> all_;
    std::vector<std::vector<Name>> names_;  // by limit, as its `most`
    std::vector<Group> groups_;
    std::vector<std::pair<Name, Amount>> least_;  // of all that limits count, the lowest limit
};

}  // namespace batfill
