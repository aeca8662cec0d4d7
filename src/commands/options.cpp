#include "options.hpp"

#include <cassert>
#include <iostream>

#include <boost/program_options.hpp>

#include "src/support/durations.hpp"

namespace batfill::commands {

namespace po = boost::program_options;

namespace {

// Explains what is wrong with a command line: Boost's text, and the nearest name for an unknown one. `options` are
// those with a name in the help.
std::string explanation_of(const po::error& problem, const po::options_description& options) {
    if (const auto* const missing = dynamic_cast<const po::required_option*>(&problem)) {
        const std::string name = missing->get_option_name();  // with "--" before it
        const bool is_in_help = options.find_nothrow(name.substr(name.find_first_not_of('-')), false) != nullptr;
        return is_in_help ? problem.what() : "an argument is missing";
    }
    const auto* const unknown = dynamic_cast<const po::unknown_option*>(&problem);
    if (unknown == nullptr) {
        return problem.what();
    }
    std::vector<std::string> names;
    for (const auto& option : options.options()) {
        names.push_back("--" + option->long_name());
    }
    std::string name = unknown->get_option_name();
    name.resize(std::min(name.find('='), name.size()));
    auto nearest = nearest_name(name, names);
    const auto begins_so = [&](const std::string& known) { return known.starts_with(name); };
    if (std::count_if(names.begin(), names.end(), begins_so) == 1) {
        nearest = *std::find_if(names.begin(), names.end(), begins_so);
    }
    return problem.what() + (nearest ? ", did you mean '" + *nearest + "'?" : "");
}

}  // namespace

struct Options::State {
    po::options_description all;
    std::vector<po::options_description> groups{po::options_description("Options")};  // in the help
    po::positional_options_description positional;
    po::variables_map values;
    std::vector<std::function<void()>> rules;

    // Adds to the help the option that was declared last.
    void show_last() { groups.back().add(all.options().back()); }

    // What the help shows: all options but the positional ones.
    po::options_description visible() const {
        po::options_description visible;
        for (const po::options_description& group : groups) {
            if (!group.options().empty()) {
                visible.add(group);
            }
        }
        return visible;
    }

    // Boost's description of a value, which option_description takes over. Errors of the value begin with `place`.
    static po::value_semantic* description_of(const Value& value, const std::string& place) {
        using Texts = std::vector<std::string>;
        auto* const description = po::value<Texts>()->value_name(value.name_);
        if (value.required_) {
            description->required();
        }
        if (value.multitoken_) {
            description->multitoken();
        }
        return description->notifier([place, read = value.read_, several = value.repeatable_](const Texts& texts) {
            try {
                refuse_if(texts.size() > 1 && !several, "expected one value, found " + std::to_string(texts.size()));
                std::for_each(texts.begin(), texts.end(), read);
            } catch (const UsageError& problem) {
                throw UsageError(place + problem.what());
            }
        });
    }
};

Options::Options() : state_(std::make_unique<State>()) {}

Options::~Options() = default;

void Options::group(const std::string& title) {
    state_->groups.emplace_back(title);
}

void Options::add(const std::string& names, const Value& value, const std::string& help) {
    const std::string place = "--" + names.substr(0, names.find(',')) + ": ";
    state_->all.add_options()(names.c_str(), State::description_of(value, place), help.c_str());
    state_->show_last();
}

void Options::add(const std::string& names, bool& flag, const std::string& help) {
    auto* const description = po::value<bool>()->zero_tokens()->notifier([&flag](bool given) { flag = given; });
    state_->all.add_options()(names.c_str(), description, help.c_str());
    state_->show_last();
}

void Options::add(const std::string& names, const std::string& help) {
    state_->all.add_options()(names.c_str(), help.c_str());
    state_->show_last();
}

void Options::add_positional(const std::string& name, const Value& value) {
    state_->all.add_options()(name.c_str(), State::description_of(value, ""));
    state_->positional.add(name.c_str(), value.repeatable_ ? -1 : 1);
}

void Options::add_rule(std::function<void()> check) {
    state_->rules.push_back(std::move(check));
}

bool Options::parse(const std::vector<std::string>& arguments, const std::string& usage, const std::string& summary,
                    const std::array<const char*, 2>& examples, OptionsFrom origin) {
    group("Help");
    add("help,h", "print this help");
    try {
        using namespace po::command_line_style;
        const int style = origin == OptionsFrom::file ? unix_style & ~allow_guessing : unix_style;
        po::store(
            po::command_line_parser(arguments).options(state_->all).positional(state_->positional).style(style).run(),
            state_->values);
        if (given("help")) {
            refuse_if(origin == OptionsFrom::file,
                      "--help prints the options of a command and makes nothing, expected no help here");
            std::cout << "Usage: " << usage << "\n\n" << summary << '\n';
            std::cout << state_->visible() << "\nExamples:\n";
            for (const char* example : examples) {
                std::cout << "  batfill " << example << '\n';
            }
            return false;
        }
        po::notify(state_->values);
    } catch (const po::error& problem) {
        throw UsageError(explanation_of(problem, state_->visible()) + " (usage: " + usage + ")");
    }
    for (const std::function<void()>& check : state_->rules) {
        check();
    }
    return true;
}

bool Options::given(const std::string& name) const {
    assert(state_->all.find_nothrow(name, false) != nullptr);
    return state_->values.count(name) > 0;
}

Duration read_length(const std::string& text, std::optional<Duration> least, std::optional<Duration> most) {
    const std::optional<Duration> length = parse_duration(text);
    refuse_if(!length || (least && *length < *least) || (most && *length > *most),
              "expected a number of seconds" + (least ? " from " + least->to_shortest_string() : "") +
                  (most ? " to " + most->to_shortest_string() : "") +
                  ", or a length with units (90s, 15m, 1h, 30d, 1-12:00:00), found '" + text + "'");
    return *length;
}

}  // namespace batfill::commands
